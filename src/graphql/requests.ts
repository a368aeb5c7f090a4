import type * as contract from '../../generated/graphql.js';
import { notFound } from '../base/errors.js';
import { type NoKey, omitUndefined } from '../base/every-key.js';
import type { RequestInput } from '../orders/changes/request-package.js';
import { getPackage } from '../packages/queries.js';
import { requestBody } from '../packages/requests.js';
import { listTasksAbout, type PackageAnswer } from '../packages/tasks.js';
import { actorIn, type Context, type GraphqlDeps } from './context.js';

/** The query for requests of shippers about a package. */
export const requestQueries = ({ db, readList }: GraphqlDeps) => ({
  packageRequests: async (_: unknown, { loggiKey }: contract.QueryPackageRequestsArgs, context: Context) => {
    const actor = actorIn(context);
    if (!(await getPackage(db, actor, loggiKey))) throw notFound('package');
    const about = { written: 'requests', loggiKey } as const;
    const { rows } = await readList((replica) => listTasksAbout(replica, actor, about, { page: 1, pageSize: 100 }));
    return rows.map(toShownRequest);
  },
});

export function toRequest(input: contract.PackageRequestInput): RequestInput {
  const { loggiKey: _, kind, on, until, recipientName: name, recipientPhone: phone, problem, note, ...others } = input;
  others satisfies NoKey;
  type Recipient = NonNullable<RequestInput['recipient']>;
  const recipient = omitUndefined<Recipient>({ name: name ?? undefined, phone: phone ?? undefined });
  return omitUndefined<RequestInput>({
    kind,
    on: on || undefined,
    until: until || undefined,
    recipient: name || phone ? recipient : undefined,
    problem: problem ?? undefined,
    note: note ?? undefined,
  });
}

export function toShownRequest(request: PackageAnswer): contract.PackageRequest {
  const { id, kind, state, day, problem, note, recipient, created_at, ...completion } = requestBody(request);
  if (kind === 'answer') throw new Error('an answer is shown as a request');
  return {
    ...{ id, kind, done: state === 'done', createdAt: created_at },
    day: day ?? null,
    problem: problem ?? null,
    note: note ?? null,
    recipientName: recipient?.name ?? null,
    recipientPhone: recipient?.phone ?? null,
    completedAt: completion.completed_at ?? null,
    completionNote: completion.completion_note ?? null,
    completedByMovement: completion.completed_by_movement ?? null,
  };
}

import { notFound } from '../base/errors.js';
import type { NoKey } from '../base/every-key.js';
import { pageOfAll } from '../base/page.js';
import { listReply } from '../http/paging.js';
import { addStatus, type CatalogueStatus, getStatus, listStatuses, type NewStatus } from '../packages/catalogue.js';
import type { Bodies, OperatorDeps, Schemas, SomeHandlers } from './deps.js';

export const packageStatusesHandlers = ({ db }: OperatorDeps) =>
  ({
    addPackageStatus:
      async ({ body }) =>
      async (trx) => {
        const status = await addStatus(trx, fromStatus(body));
        const headers = { Location: `/operator/v1/package-statuses/${status.code}` };
        return { status: 201, body: toStatus(status), headers };
      },

    listPackageStatuses: ({ query }) =>
      listReply(query, async (page) => pageOfAll(await listStatuses(db), page), toStatus),

    getPackageStatus: async ({ params }) => {
      const status = await getStatus(db, params.code);
      if (!status) throw notFound('package status');
      return { status: 200, body: toStatus(status) };
    },
  }) satisfies SomeHandlers;

function fromStatus(body: Schemas['CatalogueStatusInput']): NewStatus {
  const { code, high_level_status, description, requirement = null, final, stage, ...others } = body;
  others satisfies NoKey;
  return { code, name: high_level_status, description, requirement, final, stage };
}

const toStatus = (status: CatalogueStatus): Bodies['CatalogueStatus'] => ({
  code: status.code,
  high_level_status: status.name,
  description: status.description,
  requirement: status.requirement ?? undefined,
  final: status.final,
  stage: status.stage,
});

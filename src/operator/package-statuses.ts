import { invalidField, notFound } from '../base/errors.js';
import type { NoKey } from '../base/every-key.js';
import { pageOfAll } from '../base/page.js';
import type { PublicTitle } from '../db/tables/movements.js';
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
  const { code, high_level_status, description, requirement = null, final, stage, ...titles } = body;
  const { public_title_pt_br: portuguese, public_title_en: english, ...others } = titles;
  others satisfies NoKey;
  const status = { code, name: high_level_status, description, requirement, final, stage };
  return { ...status, public_title: titleOf(portuguese, english) };
}

/** The public title. Throws VALIDATION_ERROR on the missing language if only one is given. Null if none is. */
function titleOf(portuguese: string | undefined, english: string | undefined): PublicTitle | null {
  if (portuguese === undefined && english === undefined) return null;
  if (portuguese === undefined) throw invalidField('public_title_pt_br', 'required', 'goes with public_title_en');
  if (english === undefined) throw invalidField('public_title_en', 'required', 'goes with public_title_pt_br');
  return { pt_br: portuguese, en: english };
}

const toStatus = (status: CatalogueStatus): Bodies['CatalogueStatus'] => ({
  code: status.code,
  high_level_status: status.name,
  description: status.description,
  requirement: status.requirement ?? undefined,
  final: status.final,
  stage: status.stage,
  public_title_pt_br: status.public_title?.pt_br,
  public_title_en: status.public_title?.en,
});

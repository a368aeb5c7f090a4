import { notFound } from '../base/errors.js';
import type { NoKey } from '../base/every-key.js';
import { listBody, pageOf } from '../http/paging.js';
import { addStatus, type CatalogueStatus, getStatus, listStatuses, type NewStatus } from '../packages/catalogue.js';
import { type Bodies, type OperatorDeps, type OperatorHandlers, pageOfAll, type Schemas } from './deps.js';

type StatusOperation = 'addPackageStatus' | 'listPackageStatuses' | 'getPackageStatus';

export const packageStatusesHandlers = ({ db }: OperatorDeps): OperatorHandlers<StatusOperation> => ({
  addPackageStatus: async ({ body }) => {
    return async (trx) => {
      const status = await addStatus(trx, fromStatus(body));
      const headers = { Location: `/operator/v1/package-statuses/${status.code}` };
      return { status: 201, body: toStatus(status), headers };
    };
  },

  listPackageStatuses: async ({ query }) => {
    const page = pageOf(query);
    return { status: 200, body: listBody(pageOfAll(await listStatuses(db), page), page, toStatus) };
  },

  getPackageStatus: async ({ params }) => {
    const status = await getStatus(db, params.code);
    if (!status) throw notFound('package status');
    return { status: 200, body: toStatus(status) };
  },
});

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

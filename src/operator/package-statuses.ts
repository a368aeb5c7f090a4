import { notFound } from '../base/errors.js';
import { listBody, pageOf } from '../http/paging.js';
import { addStatus, type CatalogueStatus, getStatus, listStatuses, type NewStatus } from '../packages/catalogue.js';
import { type OperatorDeps, type OperatorHandlers, pageOfAll, type Schemas } from './deps.js';

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

const fromStatus = (input: Schemas['CatalogueStatusInput']): NewStatus => ({
  code: input.code,
  name: input.high_level_status,
  description: input.description,
  requirement: input.requirement ?? null,
  final: input.final,
  stage: input.stage,
});

const toStatus = ({ name, requirement, ...status }: CatalogueStatus): Schemas['CatalogueStatus'] => ({
  ...status,
  high_level_status: name,
  ...(requirement && { requirement }),
});

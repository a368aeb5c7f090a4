import { type RecordName, recordNames } from '../orders/record-names.js';
import type { Bodies, OperatorDeps, SomeHandlers } from './deps.js';

export const namesHandlers = ({ readList }: OperatorDeps) =>
  ({
    listNames: async ({ query: { ids } }) => {
      const names = await readList((db) => recordNames(db, ids?.split(',') ?? []));
      return { status: 200, body: { data: names.map(toRecordName) } };
    },
  }) satisfies SomeHandlers;

const toRecordName = ({ id, kind, name, email }: RecordName): Bodies['RecordName'] => ({
  id,
  kind,
  name,
  email: email ?? undefined,
});

import type { components } from '../../generated/rest.js';

/** No record has this id. */
export const ABSENT_ID = '01930f5e-7d3c-7a41-9c55-0d6f2b8e4a10';

interface Failure {
  response: Response;
  error?: components['schemas']['ErrorEnvelope'];
}

/** Status, code and fields of an error answer. */
export function refusal({ response, error }: Failure): string {
  const fields = new Set(error?.error.details.map(({ field }) => field));
  return [response.status, error?.error.code, ...[...fields].sort()].join(' ');
}

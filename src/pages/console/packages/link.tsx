import { Card, EndingLink } from '../../design/index.js';
import type { Text } from '../../language.js';
import { dataOf, type OperationName } from '../../session/operations.js';
import { calling } from '../../session/visit.js';
import { packageTexts as texts } from '../../texts.js';
import type { Ending } from '../ending.js';
import { packagePath } from './files.js';
import type { TrackedPackage } from './list.js';

export function LinkActions({ tracked }: { tracked: TrackedPackage }) {
  const action = `/console/packages/${tracked.loggi_key}/tracking-link`;
  return (
    <Card title={texts.link}>
      <EndingLink href={action} text={texts.renewLink} />
      {tracked.tracking_url !== undefined && <EndingLink href={`${action}/revocation`} text={texts.revokeLink} />}
    </Card>
  );
}

const LINK = '/operator/v1/packages/{loggi_key}/tracking-link';
const PAGE = '/console/packages/{loggi_key}';

const linkEnding = (submit: Text, operation: OperationName, hint: Text): Ending => ({
  submit,
  operation,
  work: calling(operation, PAGE),
  back: PAGE,
  about: async (visit) => {
    const tracked = await dataOf(
      visit.operator.GET('/operator/v1/packages/{loggi_key}', { params: packagePath(visit) }),
    );
    return { subject: tracked.tracking_code, consequences: [hint] };
  },
});

export const linkRenewal = linkEnding(texts.renewLink, `POST ${LINK}`, texts.renewLinkHint);
export const linkRevocation = linkEnding(texts.revokeLink, `DELETE ${LINK}`, texts.revokeLinkHint);

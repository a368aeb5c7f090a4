import { isId } from '../../../base/ids.js';
import { Field, Period, periodOf, useVisit } from '../../design/index.js';
import { dataOf } from '../../session/operations.js';
import type { Visit } from '../../session/visit.js';
import { packageTexts as texts } from '../../texts.js';

const asked = ({ url }: Pick<Visit, 'url'>, name: string): string =>
  url.searchParams.get(name)?.trim().slice(0, 255) ?? '';

/** Fields that the lists of orders and packages have in common. */
export function CommonFields() {
  const visit = useVisit();
  return (
    <>
      <Field name="q" type="search" label={texts.text} value={asked(visit, 'q')} maxLength={255} />
      <Field name="account" label={texts.accountEmail} value={asked(visit, 'account')} maxLength={254} />
      <Period />
    </>
  );
}

/** Their parameters; undefined where nobody has the e-mail address that was typed. */
export async function commonQuery(visit: Visit) {
  const [q, email, id] = [asked(visit, 'q'), asked(visit, 'account'), asked(visit, 'user_id')];
  const userId = email === '' ? id : await idOf(visit, email);
  if (userId === undefined) return undefined;
  return { ...periodOf(visit), ...(q !== '' && { q }), ...(isId(userId) && { user_id: userId }) };
}

async function idOf({ rest }: Visit, email: string): Promise<string | undefined> {
  const query = { search: email.slice(0, 100), page_size: 100 };
  const { data } = await dataOf(rest.GET('/api/v1/users', { params: { query } }));
  return data.find((user) => user.email.toLowerCase() === email.toLowerCase())?.id;
}

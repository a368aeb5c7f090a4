import type { Visit } from '../session/visit.js';
import { consoleTexts as texts } from '../texts.js';
import { useVisit } from './context.js';
import { Field } from './forms.js';

/** Days of São Paulo, from the fields of `Period`, as parameters of a list. */
export function periodOf({ url }: Pick<Visit, 'url'>) {
  const dayOf = (name: string) => /^\d{4}-\d{2}-\d{2}$/.exec(url.searchParams.get(name) ?? '')?.[0];
  const [from, to] = [dayOf('from'), dayOf('to')];
  return {
    ...(from && { created_from: `${from}T00:00:00-03:00` }),
    ...(to && { created_to: `${to}T23:59:59.999-03:00` }),
  };
}

/** Fields of a list's filter: the first and the last day. */
export function Period() {
  const { url } = useVisit();
  return (
    <>
      <Field name="from" type="date" label={texts.from} value={url.searchParams.get('from') ?? ''} />
      <Field name="to" type="date" label={texts.to} value={url.searchParams.get('to') ?? ''} />
    </>
  );
}

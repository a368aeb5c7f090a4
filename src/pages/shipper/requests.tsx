import { chosen, chosenIfAny } from '../chosen.js';
import { plainDate } from '../dates.js';
import { Choice, Field, PostForm } from '../design/forms.js';
import { Card } from '../design/pieces.js';
import type { Column } from '../design/tables.js';
import { inquiryProblems, isPossible, requestKinds } from '../facts.js';
import { fieldNames, shipperTexts as texts, valueWords } from '../texts.js';
import { calling, type RestSchemas, useVisit } from '../visit.js';
import { DateText, Time, Word } from '../written.js';

type Request = RestSchemas['PackageRequest'];

const REQUESTS = 'POST /api/v1/packages/{loggi_key}/requests';

/** A form for requests to the carrier about a package, if its status allows any. */
export function RequestForm({ path, status }: { path: string; status: RestSchemas['PackageStatus'] }) {
  const { say } = useVisit();
  const { code, stage = 'processing' } = status;
  const possible = requestKinds.filter((kind) => isPossible(kind, { code, stage }));
  if (possible.length === 0) return null;
  const kinds = possible.map((kind) => [kind, valueWords.requestKinds[kind] ?? kind] as const);
  const problems = inquiryProblems.map((problem) => [problem, valueWords.inquiryProblems[problem] ?? problem] as const);
  return (
    <Card title={texts.ask} id="request">
      <PostForm action={`${path}/requests`} operation={REQUESTS} submit={texts.sendRequest}>
        <Choice name="kind" label={texts.askFor} value="" options={kinds} isRequired />
        <p>{say(texts.askHint)}</p>
        {possible.includes('new_attempt') && <Field name="on" type="date" label={texts.onDay} />}
        {possible.includes('hold') && <Field name="until" type="date" label={texts.untilDay} />}
        {possible.includes('correct_recipient') && [
          <Field name="recipient.name" label={texts.newName} maxLength={255} />,
          <Field name="recipient.phone" type="tel" label={texts.newPhone} maxLength={26} />,
        ]}
        {possible.includes('inquiry') && (
          <Choice name="problem" label={texts.problemOf} value="" options={[['', '–'], ...problems]} />
        )}
        <Field name="request_note" label={texts.note} maxLength={1000} />
      </PostForm>
    </Card>
  );
}

export const request = calling(REQUESTS, '/envios/packages/{loggi_key}', 'asked', ({ form }) => {
  const { text, optional } = form;
  const [name, phone] = [optional('recipient.name'), optional('recipient.phone')];
  return {
    kind: chosen(form, 'kind', requestKinds),
    on: plainDate(text('on')) || undefined,
    until: plainDate(text('until')) || undefined,
    recipient: name || phone ? { ...(name && { name }), ...(phone && { phone }) } : undefined,
    problem: chosenIfAny(form, 'problem', inquiryProblems),
    note: optional('request_note'),
  };
});

export const requestColumns: readonly Column<Request>[] = [
  [texts.when, ({ created_at: at }) => <Time at={at} />],
  [texts.askFor, ({ kind }) => <Word of={valueWords.requestKinds} value={kind} />],
  [
    texts.detail,
    ({ day, problem, recipient, note }) => [
      day && [<DateText at={day} />, ' '],
      problem && [<Word of={valueWords.inquiryProblems} value={problem} />, ' '],
      [recipient?.name, recipient?.phone, note].filter(Boolean).join(' · '),
    ],
  ],
  [fieldNames['state'] ?? texts.status, ({ state }) => <Word of={valueWords.taskStates} value={state} />],
  [texts.reply, ({ completion_note: reply }) => reply],
];

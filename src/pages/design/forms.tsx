import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Form } from '../forms.js';
import type { OperationName, RefusalError } from '../operations.js';
import { detailText, faultText, refusalText, type Text, consoleTexts as texts } from '../texts.js';
import { formFields, useVisit, type Visit } from '../visit.js';
import { Say, useSay } from '../written.js';

export interface FormProps {
  action: string;
  /** The operation that the form calls. It is shown to people who write a program for the same task. */
  operation?: OperationName;
  submit: Text;
  kind?: 'danger' | 'secondary' | undefined;
  /** True if the form is longer than a screen. Its button then also stands above the fields. */
  isLong?: boolean;
  /** Content next to the button. */
  beside?: ComponentChildren;
  /** True if there are buttons among the fields. Enter in a field then still presses the form's own button. */
  hasButtons?: boolean;
  hidden?: Readonly<Record<string, string>> | undefined;
  enctype?: 'multipart/form-data';
  children?: ComponentChildren;
}

export const HiddenFields = ({ fields }: { fields: Readonly<Record<string, string>> }) =>
  Object.entries(fields).map(([name, value]) => <input type="hidden" name={name} value={value} />);

/** True inside the form that was submitted. Only its fields keep the typed text and show errors. */
const IsSentContext = createContext(false);

export function PostForm(form: FormProps) {
  const { action, operation, submit, kind, beside, hasButtons = false, isLong = false, hidden } = form;
  const { enctype, children } = form;
  const { formToken, say, url, refusal } = useVisit();
  const button = (
    <button type="submit" class={kind}>
      {say(submit)}
    </button>
  );
  return (
    <IsSentContext.Provider value={refusal !== undefined && action === url.pathname}>
      <form method="post" action={action} data-operation={operation} enctype={enctype}>
        <HiddenFields fields={{ ...(formToken && formFields(formToken)), ...hidden }} />
        {/* Enter presses the first button of a form. */}
        {hasButtons && <button type="submit" class="visually-hidden" tabIndex={-1} aria-hidden="true" />}
        {isLong && <p class="send">{button}</p>}
        {children}
        <p class="send">
          {button}
          {beside}
        </p>
      </form>
    </IsSentContext.Provider>
  );
}

/** A form that filters a list. The filter is kept in the address. */
export const Filters = ({ submit = texts.filter, children }: { submit?: Text; children: ComponentChildren }) => (
  <form class="filters">
    {children}
    <button type="submit" class="secondary">
      <Say text={submit} />
    </button>
  </form>
);

type Detail = RefusalError['details'][number];

/** The form's field for the path in a refusal: the longest end of the path that is a field name. */
function fieldOf({ field }: Detail, form: Form): string | undefined {
  const steps = field.split('.');
  return steps.map((_, at) => steps.slice(at).join('.')).find(form.has);
}

export interface FieldProps {
  name: string;
  label: Text;
  type?:
    | 'text'
    | 'email'
    | 'password'
    | 'tel'
    | 'number'
    | 'date'
    | 'time'
    | 'datetime-local'
    | 'month'
    | 'url'
    | 'search'
    | 'file';
  value?: string | undefined;
  isRequired?: boolean;
  autocomplete?: string;
  inputMode?: 'numeric' | 'decimal';
  maxLength?: number;
  step?: number;
  accept?: string;
  hint?: Text | undefined;
}

/** After a refusal: the typed value of a field instead of the stored one, and its errors as sentences. */
function useSent(name: string, stored: string | undefined): { typed: string | undefined; errors: readonly string[] } {
  const { form, refusal, say } = useVisit();
  if (!useContext(IsSentContext) || !refusal) return { typed: stored, errors: [] };
  const details = refusal.details.filter((detail) => fieldOf(detail, form) === name);
  const errors = details.map((detail) => faultText(detail, say));
  if (!form.has(name)) return { typed: stored, errors };
  const typed = form.text(name);
  const isChanged = refusal.code === 'PRECONDITION_FAILED' && stored !== undefined && typed !== stored;
  return { typed, errors: isChanged ? [...errors, `${say(texts.stored)} ${stored || '–'}`] : errors };
}

interface LabelledProps extends Pick<FieldProps, 'name' | 'label' | 'hint'> {
  errors: readonly string[];
  children: ComponentChildren;
}

/** A label with its field. `describedBy` names the hint and the errors for screen readers. */
function Labelled({ name, label, hint, errors, children }: LabelledProps) {
  const say = useSay();
  return (
    <div class={errors.length > 0 ? 'field wrong' : 'field'}>
      <label for={name}>{say(label)}</label>
      {children}
      {hint && (
        <p class="hint" id={`${name}-hint`}>
          {say(hint)}
        </p>
      )}
      {errors.length > 0 && (
        <p class="error" id={`${name}-error`}>
          {errors.join('; ')}
        </p>
      )}
    </div>
  );
}

function describedBy({ name, hint, errors }: Omit<LabelledProps, 'children' | 'label'>) {
  const ids = [hint && `${name}-hint`, errors.length > 0 && `${name}-error`].filter(Boolean).join(' ');
  return { 'aria-describedby': ids || undefined, 'aria-invalid': errors.length > 0 ? true : undefined };
}

export function Field({ name, label, type = 'text', value, isRequired, hint, ...rest }: FieldProps) {
  const { typed, errors } = useSent(name, value);
  // Preact has a type for each kind of input, but no type for several kinds.
  const kind: object = { type, value: type === 'password' ? value : typed };
  return (
    <Labelled {...{ name, label, hint, errors }}>
      <input id={name} name={name} required={isRequired} {...describedBy({ name, hint, errors })} {...rest} {...kind} />
    </Labelled>
  );
}

/** A field with several lines. */
export function Area({ name, label, hint }: Pick<FieldProps, 'name' | 'label' | 'hint'>) {
  const { typed, errors } = useSent(name, undefined);
  return (
    <Labelled {...{ name, label, hint, errors }}>
      <textarea id={name} name={name} rows={5} {...describedBy({ name, hint, errors })}>
        {typed}
      </textarea>
    </Labelled>
  );
}

/** Fields of a form, in their order. */
export const Fields = ({ of }: { of: readonly FieldProps[] }) => of.map((field) => <Field {...field} />);

export type Option = readonly [value: string, name: Text | string];

type ChoiceProps = Pick<FieldProps, 'name' | 'label' | 'value' | 'isRequired'> & {
  options: readonly Option[];
  /** Options that are shown after the others, in a group of their own. */
  apart?: { name: Text; options: readonly Option[] };
};

export function Choice({ name, label, options, apart, value: stored, isRequired }: ChoiceProps) {
  const say = useSay();
  const { typed, errors } = useSent(name, stored);
  const shown = (some: readonly Option[]) =>
    some.map(([value, text]) => (
      <option value={value} selected={value === typed}>
        {typeof text === 'string' ? text : say(text)}
      </option>
    ));
  return (
    <Labelled {...{ name, label, errors }}>
      <select id={name} name={name} required={isRequired} {...describedBy({ name, errors })}>
        {shown(options)}
        {apart && <optgroup label={say(apart.name)}>{shown(apart.options)}</optgroup>}
      </select>
    </Labelled>
  );
}

/** Says why an operation refused the form, with a link to each wrong field. */
export function Refusal({ refusal }: { refusal: RefusalError }) {
  const { form, say } = useVisit();
  return (
    <div class="notice bad" role="alert">
      <p>
        <strong>{say(refusalText(refusal))}</strong>
      </p>
      {refusal.details.length > 0 && (
        <ul>
          {refusal.details.map((detail) => {
            const name = fieldOf(detail, form);
            const text = detailText(detail, say);
            return <li>{name === undefined ? text : <a href={`#${name}`}>{text}</a>}</li>;
          })}
        </ul>
      )}
    </div>
  );
}

export const Alert = ({ text, detail }: { text: Text; detail?: string | undefined }) => (
  <p class="notice bad" role="alert">
    <Say text={text} /> {detail}
  </p>
);

/** Reads the fields of `Period` as the parameters of a list. They are days in São Paulo. */
export function periodOf({ url }: Pick<Visit, 'url'>) {
  const dayOf = (name: string) => /^\d{4}-\d{2}-\d{2}$/.exec(url.searchParams.get(name) ?? '')?.[0];
  const [from, to] = [dayOf('from'), dayOf('to')];
  return {
    ...(from && { created_from: `${from}T00:00:00-03:00` }),
    ...(to && { created_to: `${to}T23:59:59.999-03:00` }),
  };
}

/** Fields that filter a list by its first and last day. */
export function Period() {
  const { url } = useVisit();
  return (['from', 'to'] as const).map((name) => (
    <Field name={name} type="date" label={texts[name]} value={url.searchParams.get(name) ?? ''} />
  ));
}

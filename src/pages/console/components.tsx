import type { ComponentChildren } from 'preact';
import type { Text } from '../language.js';
import { dateText, timeText } from '../times.js';
import type { RefusalError } from './operations.js';
import { refusals, texts } from './texts.js';
import { type Bare, formFields, type Visit } from './visit.js';

// What the pages of the console are made of.

export interface FormProps {
  visit: Visit;
  action: string;
  /** Method and path of the operation that it calls, as the contract has them. */
  operation: string;
  submit: Text;
  isDangerous?: boolean;
  children?: ComponentChildren;
}

/** A form that calls one operation, and says which. */
export function OperationForm({ visit, action, operation, submit, isDangerous = false, children }: FormProps) {
  return (
    <form method="post" action={action} class="operation">
      <HiddenFields fields={formFields(visit)} />
      {children}
      <p class="send">
        <button type="submit" class={isDangerous ? 'danger' : undefined}>
          {visit.say(submit)}
        </button>
        <code>{operation}</code>
      </p>
    </form>
  );
}

export const HiddenFields = ({ fields }: { fields: Readonly<Record<string, string>> }) => (
  <>
    {Object.entries(fields).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
  </>
);

interface FieldProps {
  visit: Pick<Bare, 'say'>;
  name: string;
  label: Text;
  type?: 'text' | 'email' | 'password' | 'tel' | 'number' | 'datetime-local' | 'url' | 'search';
  value?: string | undefined;
  isRequired?: boolean;
  autocomplete?: string;
  inputMode?: 'numeric' | 'decimal';
  maxLength?: number;
  step?: number;
  hint?: Text;
}

export function Field({ visit, name, label, type = 'text', value, isRequired, hint, ...rest }: FieldProps) {
  const hintId = `${name}-hint`;
  // Preact's types know each type of input by itself, and none of several.
  const kind: object = { type };
  return (
    <p class="field">
      <label for={name}>{visit.say(label)}</label>
      <input
        id={name}
        name={name}
        value={value}
        required={isRequired}
        aria-describedby={hint && hintId}
        {...rest}
        {...kind}
      />
      {hint && (
        <span class="hint" id={hintId}>
          {visit.say(hint)}
        </span>
      )}
    </p>
  );
}

interface ChoiceProps {
  visit: Pick<Bare, 'say'>;
  name: string;
  label: Text;
  options: readonly { value: string; text: string }[];
  value?: string | undefined;
}

export function Choice({ visit, name, label, options, value }: ChoiceProps) {
  return (
    <p class="field">
      <label for={name}>{visit.say(label)}</label>
      <select id={name} name={name}>
        {options.map((option) => (
          <option value={option.value} selected={option.value === value}>
            {option.text}
          </option>
        ))}
      </select>
    </p>
  );
}

/** What an operation said when it refused. */
export function Refusal({ visit, refusal }: { visit: Pick<Bare, 'say'>; refusal: RefusalError }) {
  const title = refusals[refusal.code] ?? texts.refused;
  return (
    <div class="notice bad" role="alert">
      <p>
        <strong>{visit.say(title)}</strong> <span lang="en">{refusal.message}</span>
      </p>
      {refusal.details.length > 0 && (
        <ul lang="en">
          {refusal.details.map(({ field, message }) => (
            <li>
              <code>{field}</code> {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** A time as people write it in Brazil's. */
export const Time = ({ visit, at }: { visit: Pick<Bare, 'language'>; at: string }) => (
  <time dateTime={at}>{timeText(new Date(at), visit.language)}</time>
);

/** A date, given as YYYY-MM-DD. */
export const DateText = ({ visit, date }: { visit: Pick<Bare, 'language'>; date: string }) => (
  <time dateTime={date}>{dateText(date, visit.language)}</time>
);

/** Facts about one thing. */
export function Facts({ visit, facts }: { visit: Visit; facts: readonly [Text, ComponentChildren][] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div>
          <dt>{visit.say(name)}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Text } from '../language.js';
import { Say } from '../page.js';
import type { OperationName, RefusalError } from '../session/operations.js';
import { type Bare, formFields, type Visit } from '../session/visit.js';
import { refusals, consoleTexts as texts } from '../texts.js';

type Answered = Bare & Partial<Pick<Visit, 'formToken' | 'refusal'>>;

/** The request that a page answers, for the components of the page. */
export const VisitContext = createContext<Answered | undefined>(undefined);

export function useVisit(): Answered {
  const visit = useContext(VisitContext);
  if (!visit) throw new Error('a component of the console is outside of a page');
  return visit;
}

export interface FormProps {
  action: string;
  operation?: OperationName;
  submit: Text;
  isDangerous?: boolean;
  hidden?: Readonly<Record<string, string>>;
  enctype?: 'multipart/form-data';
  children?: ComponentChildren;
}

export const HiddenFields = ({ fields }: { fields: Readonly<Record<string, string>> }) => (
  <>
    {Object.entries(fields).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
  </>
);

/** A form that shows the operation that it calls. */
export function PostForm({ action, operation, submit, isDangerous = false, hidden, enctype, children }: FormProps) {
  const { formToken, say } = useVisit();
  return (
    <form method="post" action={action} class={operation && 'operation'} enctype={enctype}>
      <HiddenFields fields={{ ...(formToken && formFields(formToken)), ...hidden }} />
      {children}
      <p class="send">
        <button type="submit" class={isDangerous ? 'danger' : undefined}>
          {say(submit)}
        </button>
        {operation && <code>{operation}</code>}
      </p>
    </form>
  );
}

interface FieldProps {
  name: string;
  label: Text;
  type?: 'text' | 'email' | 'password' | 'tel' | 'number' | 'datetime-local' | 'url' | 'search' | 'file';
  value?: string | undefined;
  isRequired?: boolean;
  autocomplete?: string;
  inputMode?: 'numeric' | 'decimal';
  maxLength?: number;
  step?: number;
  accept?: string;
  hint?: Text;
}

/** The value in a refused form, else the one that is stored. */
function useTyped(name: string, stored: string | undefined): string | undefined {
  const { form, refusal } = useVisit();
  return refusal && form.has(name) ? form.text(name) : stored;
}

export function Field({ name, label, type = 'text', value, isRequired, hint, ...rest }: FieldProps) {
  const { say } = useVisit();
  const typed = useTyped(name, value);
  // Preact's types know each type of input by itself, and none of several.
  const kind: object = { type, value: type === 'password' ? value : typed };
  const hintId = `${name}-hint`;
  return (
    <p class="field">
      <label for={name}>{say(label)}</label>
      <input id={name} name={name} required={isRequired} aria-describedby={hint && hintId} {...rest} {...kind} />
      {hint && (
        <span class="hint" id={hintId}>
          {say(hint)}
        </span>
      )}
    </p>
  );
}

type ChoiceProps = Pick<FieldProps, 'name' | 'label' | 'value'> & {
  options: readonly (readonly [value: string, name: Text | string])[];
};

export function Choice({ name, label, options, value: stored }: ChoiceProps) {
  const { say } = useVisit();
  const chosen = useTyped(name, stored);
  return (
    <p class="field">
      <label for={name}>{say(label)}</label>
      <select id={name} name={name}>
        {options.map(([value, text]) => (
          <option value={value} selected={value === chosen}>
            {typeof text === 'string' ? text : say(text)}
          </option>
        ))}
      </select>
    </p>
  );
}

export function Refusal({ refusal: { code, message, details } }: { refusal: RefusalError }) {
  return (
    <div class="notice bad" role="alert">
      <p>
        <strong>
          <Say text={refusals[code] ?? texts.refused} />
        </strong>{' '}
        <span lang="en">{message}</span>
      </p>
      {details.length > 0 && (
        <ul lang="en">
          {details.map(({ field, message: detail }) => (
            <li>
              <code>{field}</code> {detail}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

export const Alert = ({ text }: { text: Text }) => (
  <p class="notice bad" role="alert">
    <Say text={text} />
  </p>
);

export function Section({ title, id, children }: { title: Text; id?: string; children: ComponentChildren }) {
  return (
    <section id={id}>
      <h2>
        <Say text={title} />
      </h2>
      {children}
    </section>
  );
}

/** Facts about one thing; a dash where a value is missing. */
export const Facts = ({ facts }: { facts: readonly (readonly [Text, ComponentChildren])[] }) => (
  <dl class="facts">
    {facts.map(([name, value]) => (
      <div>
        <dt>
          <Say text={name} />
        </dt>
        <dd>{value ?? '–'}</dd>
      </div>
    ))}
  </dl>
);

export const LinkLine = ({ href, text }: { href: string; text: Text }) => (
  <p>
    <a href={href}>
      <Say text={text} />
    </a>
  </p>
);

type SecretProps = Record<'text' | 'link', Text> & Record<'secret' | 'back', string>;

export function Secret({ text, secret, back, link }: SecretProps) {
  const { say } = useVisit();
  return (
    <>
      <p>{say(text)}</p>
      <p>
        <code class="secret">{secret}</code>
      </p>
      <LinkLine href={back} text={link} />
    </>
  );
}

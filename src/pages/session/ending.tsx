import { Field, PostForm } from '../design/forms.js';
import { Page } from '../design/frame.js';
import { type Fact, factList, TextLink } from '../design/pieces.js';
import { type BodyOf, type OperationName, RefusalError } from '../operations.js';
import { type Text, consoleTexts as texts } from '../texts.js';
import { calling, filledPath, type Visit } from '../visit.js';
import type { Handler, Route } from './place.js';

/** Work that ends something: its own page says what, at the path that the form goes to. */
interface Ending<Name extends OperationName> {
  submit: Text;
  operation: Name;
  /** The page to go back to, with names of parameters. */
  back: string;
  /** The page after it; `back` when left out. */
  next?: string;
  done?: string;
  body?: BodyOf<Name> & object;
  /** Work in place of a call of the operation that leads to `next`. */
  work?: Handler;
  about: (visit: Visit) => Promise<EndingFacts>;
  /** The page that shows a refusal; the same one when left out. */
  refused?: Route['page'];
}

interface EndingFacts {
  /** The thing that ends. */
  subject: string;
  /** With a count, a consequence for so many; for none it is left out. */
  consequences: readonly (Text | readonly [text: Text, count: number])[];
  facts?: readonly Fact[];
  /** A name to type, where much ends or for good. */
  name?: string;
  hidden?: Readonly<Record<string, string>>;
}

/** Endings at one page, each with one consequence, for which nothing is typed. */
export const plainEndings =
  (back: string, subjectOf: (visit: Visit) => Promise<string>) =>
  (submit: Text, operation: OperationName, hint: Text): Route => {
    const about = async (visit: Visit) => ({ subject: await subjectOf(visit), consequences: [hint] });
    return ending({ submit, operation, back, about });
  };

export function ending<Name extends OperationName>(ending: Ending<Name>): Route {
  const { submit, operation, back, next = back, done, body, about, refused } = ending;
  const { work = calling(operation, next, done, body && (() => body)) } = ending;
  return {
    page: async (visit) => {
      const { say, url } = visit;
      const { subject, consequences, facts, name, hidden } = await about(visit);
      const beside = <TextLink href={filledPath(visit, back)} text={texts.keepIt} />;
      const sentences = consequences.flatMap((each) => {
        if (!('length' in each)) return [say(each)];
        const [text, count] = each;
        return count === 0 ? [] : [`${say(text)}: ${count}`];
      });
      return (
        <Page title={`${say(submit)}: ${subject}`}>
          <div class="card confirmation">
            <ul>
              {sentences.map((sentence) => (
                <li>{sentence}</li>
              ))}
            </ul>
            {facts && factList(facts)}
            <PostForm action={url.pathname} {...{ operation, submit, beside, hidden }} kind="danger">
              {name !== undefined && [
                <p>{[say(texts.typeName), ' ', <strong>{name}</strong>]}</p>,
                <Field name="confirmation" label={texts.confirmation} isRequired autocomplete="off" />,
              ]}
            </PostForm>
          </div>
        </Page>
      );
    },
    // The name is compared again: the page may have been made before there was something to name.
    work: async (visit) => {
      const { name } = await about(visit);
      if (name !== undefined && visit.form.text('confirmation').trim() !== name) {
        const details = [{ field: 'confirmation', code: 'incorrect' as const, message: 'Type the name.' }];
        throw new RefusalError('VALIDATION_ERROR', 'invalid_fields', 'The name is another one.', { details });
      }
      return work(visit);
    },
    ...(refused && { refused }),
  };
}

import { Field, PostForm } from '../design/forms.js';
import { Page } from '../design/frame.js';
import { type Fact, factList, TextLink } from '../design/pieces.js';
import { type BodyOf, type OperationName, RefusalError } from '../operations.js';
import { type Text, consoleTexts as texts } from '../texts.js';
import { calling, filledPath, type Visit } from '../visit.js';
import type { Handler, Route } from './place.js';

/** Describes an action that ends something. A page at the path of the form states the consequences first. */
interface Ending<Name extends OperationName> {
  submit: Text;
  operation: Name;
  /** Path of the page to go back to, with parameters in braces. */
  back: string;
  /** Path of the page afterwards. The default is `back`. */
  next?: string;
  done?: string;
  body?: BodyOf<Name> & object;
  /** Replaces the call of the operation and the redirect to `next`. */
  work?: Handler;
  about: (visit: Visit) => Promise<EndingFacts>;
  /** The page that shows a refusal. The default is the page itself. */
  refused?: Route['page'];
}

interface EndingFacts {
  /** The name of the thing that ends. */
  subject: string;
  /** The consequences. One with a count shows its count, and is left out if the count is 0. */
  consequences: readonly (Text | readonly [text: Text, count: number])[];
  facts?: readonly Fact[];
  /** A name that the person must type. Used if much ends, or if it ends for good. */
  name?: string;
  hidden?: Readonly<Record<string, string>>;
}

/**
 * Makes pages that end something with one consequence and without a name to type. They share the page to go back to.
 */
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
    // Compare the name again, because it may have changed since the page was made.
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

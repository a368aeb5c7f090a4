import { Confirmation } from '../design/index.js';
import type { Text } from '../language.js';
import { type OperationName, RefusalError } from '../session/operations.js';
import type { FormAction, Page } from '../session/place.js';
import { filledPath, type Visit } from '../session/visit.js';
import { show } from './frame.js';

/** Work that ends something: its own page says what, at the path that the form goes to. */
export interface Ending {
  submit: Text;
  operation: OperationName;
  work: Page;
  /** The page to go back to, with names of parameters. */
  back: string;
  about: (visit: Visit) => Promise<EndingFacts>;
}

interface EndingFacts {
  /** The thing that ends. */
  subject: string;
  consequences: readonly (Text | Count)[];
  /** A name to type, where much ends or for good. */
  name?: string;
  hidden?: Readonly<Record<string, string>>;
}

/** A consequence for so many; for none it is left out. */
type Count = readonly [text: Text, count: number];

export const showEnding =
  ({ submit, operation, back, about }: Ending): Page =>
  async (visit) => {
    const { say, url } = visit;
    const { subject, consequences, ...rest } = await about(visit);
    const sentences = consequences.flatMap((each) => {
      if (!('length' in each)) return [say(each)];
      const [text, count] = each;
      return count === 0 ? [] : [`${say(text)}: ${count}`];
    });
    const form = { submit, operation, action: url.pathname, back: filledPath(visit, back) };
    show(visit, `${say(submit)}: ${subject}`, <Confirmation consequences={sentences} {...form} {...rest} />);
  };

/** The name is compared again: the page may have been made before there was something to name. */
export const endingAction = (ending: Ending): FormAction => ({
  show: showEnding(ending),
  work: async (visit) => {
    const { name } = await ending.about(visit);
    if (name !== undefined && visit.form.text('confirmation').trim() !== name) {
      const details = [{ field: 'confirmation', code: 'incorrect' as const, message: 'Type the name.' }];
      throw new RefusalError('VALIDATION_ERROR', 'invalid_fields', 'The name is another one.', { details });
    }
    await ending.work(visit);
  },
});

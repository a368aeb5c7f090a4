import type { Form } from './forms.js';
import { RefusalError } from './operations.js';

/** Returns the word of the field. Throws RefusalError on the field if the text is not one of `words`. */
export function chosen<Word extends string>({ text }: Pick<Form, 'text'>, field: string, words: readonly Word[]): Word {
  const word = words.find((each) => each === text(field));
  if (word !== undefined) return word;
  throw new RefusalError('VALIDATION_ERROR', 'invalid_fields', 'The request is not valid.', {
    details: [{ field, code: 'unknown_value', message: `must be one of: ${words.join(', ')}` }],
  });
}

/** Returns the word of the field, or undefined if the field is empty. */
export const chosenIfAny = <Word extends string>(form: Pick<Form, 'text'>, field: string, words: readonly Word[]) =>
  form.text(field) === '' ? undefined : chosen(form, field, words);

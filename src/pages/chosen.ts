import type { Form } from './forms.js';
import { RefusalError } from './operations.js';

/** The field's word. Throws RefusalError on the field for any other text. */
export function chosen<Word extends string>({ text }: Pick<Form, 'text'>, field: string, words: readonly Word[]): Word {
  const word = words.find((each) => each === text(field));
  if (word !== undefined) return word;
  throw new RefusalError('VALIDATION_ERROR', 'invalid_fields', 'The request is not valid.', {
    details: [{ field, code: 'unknown_value', message: `must be one of: ${words.join(', ')}` }],
  });
}

/** The field's word; undefined if the field is empty. */
export const chosenIfAny = <Word extends string>(form: Pick<Form, 'text'>, field: string, words: readonly Word[]) =>
  form.text(field) === '' ? undefined : chosen(form, field, words);

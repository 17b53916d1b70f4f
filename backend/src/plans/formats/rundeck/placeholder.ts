import { replaceHiddenCharacters } from '../../../common/text/visible-text.ts';
import type { Fields } from '../../code/plan-text.ts';

const MAX_MESSAGE_LENGTH = 1800;

/** Gate in place of a part that was not converted. A run waits there, and a dry run is blocked. */
export const createPlaceholderStep = (named: Fields, message: string): Fields => ({
  ...named,
  type: 'gate',
  message: replaceHiddenCharacters(message.slice(0, MAX_MESSAGE_LENGTH)).replace(/\p{Surrogate}$/u, ''),
  placeholder: true,
});

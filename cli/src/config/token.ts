import { usage } from '../failure.ts';
import type { Credential } from '../client/connection.ts';

const FORM = /^runward_[0-9A-Za-z]{12}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/;

/** A token as somebody gave it, without the line end of a file. What it is not is never repeated. */
export function tokenFrom(text: string, from: string): string {
  const token = text.trim();
  if (token === '') throw usage(`${from} is empty.`);
  if (!FORM.test(token))
    throw usage(`${from} is not a whole token: it begins with runward_ and has 71 characters.`, [
      'A token is shown once, when it is made, under Settings, API tokens.',
    ]);
  return token;
}

/** A token that stays what it is. */
export const fixedToken = (token: string): Credential => ({
  token: () => Promise.resolve(token),
  renew: () => Promise.resolve(false),
});

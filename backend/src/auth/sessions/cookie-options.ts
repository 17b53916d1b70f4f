import type { CookieOptions } from 'express';
import type { Runtime } from '../../common/settings/runtime.js';

/** Scripts and other sites can't read the cookie. It is sent only over https if the public address is https. */
export const createCookieOptions = ({ settings }: Runtime, path: string): CookieOptions => ({
  httpOnly: true,
  sameSite: 'strict',
  path,
  secure: settings.publicUrl.startsWith('https:'),
});

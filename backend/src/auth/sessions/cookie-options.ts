import type { CookieOptions } from 'express';
import type { Runtime } from '../../common/runtime.js';

/** Out of reach of scripts and of other sites; over https alone where that is the public address. */
export const cookieOptions = ({ settings }: Runtime, path: string): CookieOptions => ({
  httpOnly: true,
  sameSite: 'strict',
  path,
  secure: settings.publicUrl.startsWith('https:'),
});

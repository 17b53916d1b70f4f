import type { CookieOptions } from 'express';
import type { Runtime } from '../../common/runtime.js';

/** Not accessible to scripts and other sites; only over https if the public address is https. */
export const cookieOptions = ({ settings }: Runtime, path: string): CookieOptions => ({
  httpOnly: true,
  sameSite: 'strict',
  path,
  secure: settings.publicUrl.startsWith('https:'),
});

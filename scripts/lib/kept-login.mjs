/** Stores the login of the first admin next to the data of a trial folder, with the generated password. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export const passwordFileOf = (dataDir) => path.join(dataDir, 'admin-password');

export function storedLogin(dataDir, usualEmail) {
  const email = process.env.RUNWARD_ADMIN_EMAIL || usualEmail;
  if (process.env.RUNWARD_ADMIN_PASSWORD) return { email, password: process.env.RUNWARD_ADMIN_PASSWORD };
  return { email, password: storedPassword(passwordFileOf(dataDir)) };
}

/** Returns the password in the file. Generates it if the file does not exist. */
export function storedPassword(file) {
  if (!existsSync(file)) writeFileSync(file, `${randomBytes(12).toString('base64url')}\n`, { mode: 0o600 });
  return readFileSync(file, 'utf8').trim();
}

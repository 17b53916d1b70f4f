import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Root folder of the checkout or of the installed package. */
const ROOT = join(import.meta.dirname, '..', '..', '..');

/** Command that administers this installation, as a person enters it. Packages contain their own program. */
export const ADMIN_COMMAND = existsSync(join(ROOT, 'bin', 'runward')) ? 'runward admin' : 'npm run admin --';

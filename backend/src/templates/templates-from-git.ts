import type { GitSourceUse } from '../git-sources/git-source-use.js';
import { LibraryRecords } from '../library/library-records.js';
import { TEMPLATES } from './template-kind.js';

const records = new LibraryRecords(TEMPLATES);

/** Templates with content from this git source. All members may see templates. */
export const templatesFromGit: GitSourceUse = async (tx, caller, gitSourceId, limit) => {
  const found = await records.listFromGitSource(tx, caller.tenantId, gitSourceId, limit);
  return found.map((record) => ({ type: 'template', ...record, visible: true }));
};

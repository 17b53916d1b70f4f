import type { GitSourceUse } from '../git-sources/git-source-use.js';
import { LibraryRecords } from '../library/library-records.js';
import { SCRIPTS } from './script-kind.js';

const records = new LibraryRecords(SCRIPTS);

/** Not filtered by caller, because all members may see scripts. */
export const scriptsFromGit: GitSourceUse = async (tx, caller, gitSourceId, limit) => {
  const found = await records.listFromGitSource(tx, caller.tenantId, gitSourceId, limit);
  return found.map((record) => ({ type: 'script', ...record, visible: true }));
};

/** Folders of programs for administration, such as useradd: `su` on Debian leaves them out of PATH. */
const FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/** PATH with the folders of programs for administration behind its own. */
export function withAdminFolders(path = '') {
  const own = path.split(':').filter(Boolean);
  return [...own, ...FOLDERS.filter((folder) => !own.includes(folder))].join(':');
}

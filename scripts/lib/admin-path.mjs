/** Folders of administration programs such as useradd. `su` on Debian leaves them out of PATH. */
const FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/** Appends the folders of administration programs to PATH. */
export function withAdminFolders(path = '') {
  const own = path.split(':').filter(Boolean);
  return [...own, ...FOLDERS.filter((folder) => !own.includes(folder))].join(':');
}

/** Folders of administration programs such as useradd. `su` on Debian omits them from PATH. */
const FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

export function withAdminFolders(path = '') {
  const own = path.split(':').filter(Boolean);
  return [...own, ...FOLDERS.filter((folder) => !own.includes(folder))].join(':');
}

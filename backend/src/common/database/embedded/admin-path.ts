/** Folders of administration programs such as useradd. `su` on Debian omits them from PATH. */
const ADMIN_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

export function addAdminFoldersToPath(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = (env.PATH ?? '').split(':').filter(Boolean);
  return { ...env, PATH: [...own, ...ADMIN_FOLDERS.filter((folder) => !own.includes(folder))].join(':') };
}

/** Folders of administration programs such as useradd; `su` on Debian omits them from PATH. */
const FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/** Returns the environment with the folders of administration programs appended to PATH. */
export function withAdminFolders(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = (env.PATH ?? '').split(':').filter(Boolean);
  return { ...env, PATH: [...own, ...FOLDERS.filter((folder) => !own.includes(folder))].join(':') };
}

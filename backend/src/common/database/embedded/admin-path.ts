/** Folders of programs for administration, such as useradd: `su` on Debian leaves them out of PATH. */
const FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/** The environment with the folders of programs for administration behind those of its PATH. */
export function withAdminFolders(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = (env.PATH ?? '').split(':').filter(Boolean);
  return { ...env, PATH: [...own, ...FOLDERS.filter((folder) => !own.includes(folder))].join(':') };
}

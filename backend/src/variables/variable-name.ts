/** Variables become shell variables, so names must be portable (security: "The outside"). */
const VARIABLE_NAME_PATTERN = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/** Variables that control the shell or the loader. Their value could replace one command by another. */
const SHELL_CONTROL_VARIABLES = new Set(['PATH', 'IFS', 'ENV', 'BASH_ENV', 'PS4', 'PROMPT_COMMAND']);

/** Variables that some shells reject or change, so that commands would not receive the value. */
const SHELL_OWNED_VARIABLES = new Set(
  (
    '_ UID EUID PPID SHELLOPTS BASHOPTS BASHPID GROUPS FUNCNAME DIRSTACK PIPESTATUS RANDOM SRANDOM SECONDS LINENO ' +
    'EPOCHSECONDS EPOCHREALTIME HISTCMD OPTIND OPTARG PWD OLDPWD SHLVL COMP_WORDBREAKS POSIXLY_CORRECT'
  ).split(' '),
);

const TEMPLATE_WORDS = new Set('true false nil null empty blank and or not contains in forloop'.split(' '));

export function findNameFault(name: string): string | null {
  if (!VARIABLE_NAME_PATTERN.test(name)) {
    return 'A name starts with a letter or _, continues with letters, digits or _, and has at most 64 characters, such as app_version.';
  }
  if (SHELL_CONTROL_VARIABLES.has(name) || name.startsWith('LD_')) {
    return `"${name}" controls the shell or the loader on the host and cannot be a variable. Set it in the command if needed.`;
  }
  if (SHELL_OWNED_VARIABLES.has(name) || name.startsWith('BASH_')) {
    return `"${name}" belongs to the shell, so its value would not arrive. Choose another name, such as my_${name.toLowerCase()}.`;
  }
  if (name.startsWith('RUNWARD_'))
    return 'Names that start with RUNWARD_ are reserved for Runward. Choose another prefix.';
  if (name in Object.prototype)
    return `"${name}" is a reserved name of JavaScript. Choose another name, such as my_${name}.`;
  if (TEMPLATE_WORDS.has(name))
    return `"${name}" is a word of the template language. Choose another name, such as is_${name}.`;
  return null;
}

import type { CreatedEnrolment } from '../../../api/types';

/** Returns user data for cloud-init that enrols a new machine. Creates the user if it does not exist. */
export function cloudConfig({ command, username }: Pick<Required<CreatedEnrolment>, 'command' | 'username'>): string {
  const lines = [
    '#cloud-config',
    ...(username === 'root' ? [] : ['users:', '  - default', `  - name: ${quoted(username)}`, '    shell: /bin/sh']),
    'runcmd:',
    '  - |',
    ...command.split('\n').map((line) => `    ${line}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** Quotes text as JSON. This is valid YAML, even if the text looks like a number. */
const quoted = (text: string): string => JSON.stringify(text);

import type { CreatedEnrolment } from '../../../api/types';

/** User data for cloud-init that enrols a new machine; creates the user if missing. */
export function cloudConfig({ command, username }: Pick<CreatedEnrolment, 'command' | 'username'>): string {
  const lines = [
    '#cloud-config',
    ...(username === 'root' ? [] : ['users:', '  - default', `  - name: ${quoted(username)}`, '    shell: /bin/sh']),
    'runcmd:',
    '  - |',
    ...command.split('\n').map((line) => `    ${line}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** Quotes text as JSON, which is valid YAML even for text that looks like a number. */
const quoted = (text: string): string => JSON.stringify(text);

export const CONNECTION_SETTINGS: ReadonlySet<string> = new Set([
  'ansible_connection',
  'ansible_host',
  'ansible_port',
  'ansible_ssh_args',
  'ansible_ssh_common_args',
  'ansible_ssh_extra_args',
  'ansible_ssh_host',
  'ansible_ssh_port',
  'ansible_ssh_timeout',
  'ansible_ssh_user',
  'ansible_timeout',
  'ansible_user',
]);

const PASSWORD_SETTINGS: ReadonlySet<string> = new Set([
  'ansible_become_pass',
  'ansible_become_password',
  'ansible_pass',
  'ansible_password',
  'ansible_private_key_passphrase',
  'ansible_ssh_pass',
  'ansible_ssh_password',
  'ansible_ssh_private_key_passphrase',
  'ansible_sudo_pass',
  'ansible_su_pass',
]);
const KEY_FILE_SETTINGS: ReadonlySet<string> = new Set([
  'ansible_private_key_file',
  'ansible_ssh_private_key',
  'ansible_ssh_private_key_file',
]);

/** Returns why an Ansible setting (`ansible_…`) is not imported; null: the name is not such a setting. */
export function getNotCarriedReason(name: string): string | null {
  if (!name.startsWith('ansible_')) return null;
  if (PASSWORD_SETTINGS.has(name)) return 'Runward signs in with SSH keys and reads no password from an inventory.';
  if (KEY_FILE_SETTINGS.has(name)) {
    return 'The text does not contain the key file. Choose an SSH key of Runward for the servers during the import.';
  }
  if (/^ansible_(?:become|sudo|su)(?:_|$)/.test(name)) {
    return 'Runward runs commands as the login user. To use sudo, set become in the step.';
  }
  if (name.endsWith('_interpreter')) return 'Runward needs no interpreter on a server.';
  if (name === 'ansible_ssh_host_key_checking' || name === 'ansible_host_key_checking') {
    return 'Runward always checks the host key of a server.';
  }
  if (name.startsWith('ansible_winrm') || name.startsWith('ansible_psrp'))
    return 'Runward reaches servers over SSH only.';
  return 'It is a setting of Ansible that Runward does not use.';
}

import { ANSIBLE_INI } from './ansible/ansible-ini.ts';
import { ANSIBLE_JSON } from './ansible/ansible-json.ts';
import { ANSIBLE_YAML } from './ansible/ansible-yaml.ts';
import { SSH_CONFIG } from './openssh/ssh-config.ts';
import { SERVER_LIST } from './servers/server-list.ts';
import type { InventoryFormat } from './texts/inventory-format.ts';

/** Runward's own format comes first. */
export const INVENTORY_FORMATS = [
  SERVER_LIST,
  ANSIBLE_INI,
  ANSIBLE_YAML,
  ANSIBLE_JSON,
  SSH_CONFIG,
] as const satisfies readonly InventoryFormat[];
export type ImportFormat = (typeof INVENTORY_FORMATS)[number]['name'];

export const IMPORT_FORMATS: readonly ImportFormat[] = INVENTORY_FORMATS.map(({ name }) => name);

export interface InventoryTextRequest {
  readonly format: ImportFormat;
  readonly content: string;
}

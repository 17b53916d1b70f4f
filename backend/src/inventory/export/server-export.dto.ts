import { OmitType } from '@nestjs/swagger';
import { OptionalOneOf } from '../../common/http/fields.js';
import { ListServersQuery } from '../servers.dto.js';
import { EXPORT_FORMATS, type ExportFormat } from './export-formats.js';

/** Filters of the server list and the export format. */
export class ExportServersQuery extends OmitType(ListServersQuery, ['limit', 'cursor', 'sort', 'count']) {
  /**
   * `json`: can be imported again. `ansible-json`: output of Ansible inventory scripts for `--list`. `ssh-config`:
   * entries for an OpenSSH configuration. `known_hosts`: pinned host keys for OpenSSH.
   */
  @OptionalOneOf(EXPORT_FORMATS)
  format?: ExportFormat;
}

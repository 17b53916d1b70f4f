import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { OptionalBoolean } from '../../common/http/fields.js';

export const ConfirmHosts = () =>
  applyDecorators(
    OptionalBoolean(),
    ApiPropertyOptional({
      type: Boolean,
      description:
        'Confirms that the hosts belong to this protected environment although Runward signed in to them for servers of other environments. Runs of those environments then no longer reach them. Without it, the request fails with 409 `host_proved_elsewhere`. Only admins can send it.',
    }),
  );

import { ApiProperty } from '@nestjs/swagger';

export class CommandLineView {
  /**
   * Version of the service and the command line.
   * @example "0.1.0"
   */
  release: string;

  /**
   * Hash of the file, in hexadecimal digits.
   * @example "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
   */
  sha256: string;

  /** Size of the file. */
  @ApiProperty({ type: 'integer' })
  bytes: number;
}

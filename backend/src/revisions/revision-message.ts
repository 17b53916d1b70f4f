import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { MultilineText, IsNullableField } from '../common/http/fields.js';

const MAX_MESSAGE_CHARACTERS = 500;

/** Reason for a revision, in one or more lines; absent, null or blank = none. */
export const RevisionMessage = () =>
  applyDecorators(
    ApiProperty({ type: String, nullable: true, required: false, example: 'Wait for the cache before the restart' }),
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value)),
    IsNullableField(),
    MultilineText(MAX_MESSAGE_CHARACTERS),
  );

export const toStoredMessage = (message: string | null | undefined): string | null => message?.trim() || null;

export const toRestoredMessage = (message: string | null | undefined, number: number): string =>
  toStoredMessage(message) ?? `Restored revision ${number}`;

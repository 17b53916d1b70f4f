import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { FreeText, MaybeNull } from '../http/fields.js';

const MOST_CHARACTERS = 500;

/** Why somebody saves a revision, in one or more lines; absent, null or blank: they say nothing. */
export const RevisionMessage = () =>
  applyDecorators(
    ApiProperty({ type: String, nullable: true, required: false, example: 'Wait for the cache before the restart' }),
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value)),
    MaybeNull(),
    FreeText(MOST_CHARACTERS),
  );

/** What is kept of it. */
export const keptMessage = (said: string | null | undefined): string | null => said?.trim() || null;

/** What is kept of it where a revision is restored. */
export const restoredMessage = (said: string | null | undefined, number: number): string =>
  keptMessage(said) ?? `Restored revision ${number}`;

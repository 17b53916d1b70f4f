import type { Client } from 'pg';

/**
 * Time of the newest successful backup; null = none was recorded. This version has no table of backups; with one, read
 * it here.
 */
export const readLatestBackupTime = (_database: Client): Promise<Date | null> => Promise.resolve(null);

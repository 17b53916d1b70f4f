import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { KeyThreads } from '../transport/keys/key-threads.js';
import { KeyCertificates } from './key-certificates.js';
import { KeyVault } from './key-vault.js';
import { KeysController } from './keys.controller.js';
import { KeysService } from './keys.service.js';
import { KeyCreator } from './new-keys.js';

@Module({
  imports: [AuditModule],
  controllers: [KeysController],
  providers: [KeysService, KeyCertificates, KeyCreator, KeyVault, KeyThreads],
  exports: [KeyVault, KeyCreator],
})
export class KeysModule {}

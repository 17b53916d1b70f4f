import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { CollectionReader } from './collection-reader.js';
import { CollectionsController } from './collections.controller.js';
import { CollectionsService } from './collections.service.js';

@Module({
  imports: [AuditModule],
  controllers: [CollectionsController],
  providers: [CollectionsService, CollectionReader],
  exports: [CollectionReader],
})
export class CollectionsModule {}

import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../common/access/policy.js';
import { Caller, type Principal } from '../common/access/principal.js';
import { IfMatch, AcceptsIfMatch } from '../common/http/etag.js';
import { Route } from '../common/http/route.js';
import { CreateCollectionRequest, ListCollectionsQuery, UpdateCollectionRequest } from './collections.dto.js';
import { CollectionsService } from './collections.service.js';
import { CollectionListView, CollectionView } from './collections.view.js';

@ApiTags('Collections')
@Controller('api/collections')
export class CollectionsController {
  constructor(private readonly collections: CollectionsService) {}

  @Get()
  @Requires('viewer')
  @Route({ id: 'listCollections', summary: 'List collections of plans', answer: CollectionListView, problems: [400] })
  list(@Caller() caller: Principal, @Query() query: ListCollectionsQuery): Promise<CollectionListView> {
    return this.collections.list(caller, query);
  }

  @Get(':id')
  @Requires('viewer')
  @Route({ id: 'getCollection', summary: 'Get a collection', answer: CollectionView, problems: [404] })
  get(@Caller() caller: Principal, @Param('id') id: string): Promise<CollectionView> {
    return this.collections.get(caller, id);
  }

  @Post()
  @Requires('operator')
  @Route({
    id: 'createCollection',
    summary: 'Create a collection',
    description: 'Names are unique within the parent collection. Only admins can set a freeze.',
    answer: CollectionView,
    status: 201,
    problems: [400, 404, 409, 413, 415, 422],
  })
  create(@Caller() caller: Principal, @Body() body: CreateCollectionRequest): Promise<CollectionView> {
    return this.collections.create(caller, body);
  }

  @Patch(':id')
  @Requires('operator')
  @AcceptsIfMatch()
  @Route({
    id: 'updateCollection',
    summary: 'Change, move, freeze or unfreeze a collection',
    description:
      'During a freeze, starts of all plans in the collection and its nested collections are answered with 409 `collection_frozen`. Accepted runs that have not begun wait for its end. Runs that have begun continue.',
    answer: CollectionView,
    problems: [400, 404, 409, 412, 413, 415],
  })
  update(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: UpdateCollectionRequest,
    @IfMatch() version: number | null,
  ): Promise<CollectionView> {
    return this.collections.update(caller, id, body, version);
  }

  @Delete(':id')
  @Requires('operator')
  @AcceptsIfMatch()
  @Route({ id: 'deleteCollection', summary: 'Delete an empty collection', answer: null, problems: [404, 409, 412] })
  delete(@Caller() caller: Principal, @Param('id') id: string, @IfMatch() version: number | null): Promise<void> {
    return this.collections.delete(caller, id, version);
  }
}

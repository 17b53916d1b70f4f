import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { map, type Observable } from 'rxjs';
import { toEtag } from './if-match.js';

@Injectable()
export class RecordHeadersInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    return next.handle().pipe(
      map((answer: unknown) => {
        const response = http.getResponse<Response>();
        const record = answer as { id?: unknown; version?: unknown; links?: { self?: unknown } } | null;
        if (response.headersSent) return answer;
        if (record === null || typeof record !== 'object') return answer;
        if (typeof record.version === 'number') response.setHeader('ETag', toEtag(record.version));
        if (response.statusCode === 201 && typeof record.id === 'string' && !response.hasHeader('Location')) {
          // The path of the new record can differ from that of the request, for example after a rerun.
          const self = record.links?.self;
          const location = `${http.getRequest<Request>().path.replace(/\/$/, '')}/${record.id}`;
          response.setHeader('Location', typeof self === 'string' ? self : location);
        }
        return answer;
      }),
    );
  }
}

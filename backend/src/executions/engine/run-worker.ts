import { Injectable } from '@nestjs/common';
@Injectable()
export class RunWorker {
  async start(): Promise<void> {}
  async drain(): Promise<void> {}
}

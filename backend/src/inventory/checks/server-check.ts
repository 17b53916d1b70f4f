import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { ServerContact } from './server-contact.js';
import type { ServerView } from '../servers.view.js';

@Injectable()
export class ServerChecker {
  constructor(private readonly contacts: ServerContact) {}

  /** @throws Problem 404; 409 `grant_required` */
  async check(caller: Principal, id: string): Promise<ServerView> {
    const contact = await this.contacts.begin(caller, id);
    return this.contacts.store(caller, contact, await this.contacts.find(contact), 'server.check');
  }
}

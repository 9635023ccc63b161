-- The board's staff are members of the operator's account, with roles of their own. Additive: the previous release
-- creates no staff, and staff cannot sign in to it.

alter table member drop constraint member_role_check;
alter table member add constraint member_role_check
  check (role in ('owner', 'recruiter', 'viewer', 'admin', 'moderator')) not valid;

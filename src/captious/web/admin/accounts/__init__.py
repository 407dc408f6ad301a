"""Accounts: signing in, who may do what, and the log of what they did."""

from __future__ import annotations

from fastapi import APIRouter

from captious.web.admin.accounts import accounts_page, audit_log, sign_in

router = APIRouter()
for part in (sign_in, accounts_page, audit_log):
    router.include_router(part.router)

__all__ = ["router"]

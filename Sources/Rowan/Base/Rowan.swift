public import CSQLite

// Holds the precompiled headers (Tilewright.cmake).

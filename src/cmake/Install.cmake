include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS tensorspec EXPORT tensorspecTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS tensorspec_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/tensorspec DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT tensorspecTargets NAMESPACE tensorspec:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tensorspec)
configure_package_config_file(src/cmake/tensorspecConfig.cmake.in "${CMAKE_BINARY_DIR}/tensorspecConfig.cmake"
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tensorspec)
write_basic_package_version_file("${CMAKE_BINARY_DIR}/tensorspecConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/tensorspecConfig.cmake" "${CMAKE_BINARY_DIR}/tensorspecConfigVersion.cmake"
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tensorspec)

# Relative to where it lies, so that the installed tree may be moved.
file(RELATIVE_PATH tensorspec_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(src/cmake/tensorspec.pc.in "${CMAKE_BINARY_DIR}/tensorspec.pc" @ONLY)
install(FILES "${CMAKE_BINARY_DIR}/tensorspec.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
